class link_item extends vendor_object;
endclass

class link_more extends link_item;
endclass
