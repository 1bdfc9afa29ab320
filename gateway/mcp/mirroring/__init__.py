"""Do the headers that mirror a message agree with it? Knows no HTTP: a front fills in `exchange.MirroredHeaders`."""
