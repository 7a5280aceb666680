DROP TABLE jobwarden.gate_overrides;
DROP TABLE jobwarden.gate_rollouts;
DROP TABLE jobwarden.outcome_run_times;
