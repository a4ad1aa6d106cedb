package lamp_pkg;
  typedef struct { logic next; } lamp__ctrl_t__hot__in_t;
  typedef struct { lamp__ctrl_t__hot__in_t hot; } lamp__ctrl_t__in_t;
  typedef struct { lamp__ctrl_t__in_t CTRL; } lamp__in_t;
  typedef struct { logic value; } lamp__ctrl_t__on__out_t;
  typedef struct { lamp__ctrl_t__on__out_t on; } lamp__ctrl_t__out_t;
  typedef struct { logic [7:0] value; } lamp__amount__out_t;
  typedef struct { lamp__amount__out_t amount; } lamp__duty__out_t;
  typedef struct { lamp__duty__out_t duty; } lamp__lane__out_t;
  typedef struct { lamp__ctrl_t__out_t CTRL; lamp__lane__out_t LANE[4]; } lamp__out_t;
endpackage
