DROP TABLE jobwarden.redrives;
