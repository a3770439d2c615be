"""What memory is: frozen types and text codecs. Nothing here opens a file."""
