DROP TABLE jobwarden.follow_ups;
DROP TABLE jobwarden.postmortem_signatures;
DROP TABLE jobwarden.postmortem_answers;
