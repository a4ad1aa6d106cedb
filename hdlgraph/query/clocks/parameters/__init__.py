"""The values of parameters below a top, as far as the text tells them."""
