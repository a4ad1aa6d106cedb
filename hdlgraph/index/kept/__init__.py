"""What runs keep of files for the next run, so that an edit costs one edit."""
