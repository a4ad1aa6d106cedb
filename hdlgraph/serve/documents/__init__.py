"""What commands print of documents, and what models read of them."""
