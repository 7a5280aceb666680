-- The role stays: other databases of the server may use it.
REVOKE ALL ON ALL TABLES IN SCHEMA jobwarden FROM jobwarden_app;
REVOKE USAGE ON SCHEMA jobwarden FROM jobwarden_app;
REVOKE EXECUTE ON FUNCTION jobwarden.ensure_period(integer), jobwarden.drop_period(integer) FROM jobwarden_app;
DROP FUNCTION jobwarden.drop_period(integer);
DROP FUNCTION jobwarden.ensure_period(integer);
DROP TRIGGER events_append_only ON jobwarden.events;
DROP FUNCTION jobwarden.refuse_change() CASCADE;
