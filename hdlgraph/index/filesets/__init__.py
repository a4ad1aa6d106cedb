"""Which files belong together: filesets of FuseSoC cores, of Bender packages, and filelists."""
