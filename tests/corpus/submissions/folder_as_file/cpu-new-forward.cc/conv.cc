// Somebody's file manager made a folder of it.
