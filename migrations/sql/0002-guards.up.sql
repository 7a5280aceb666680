-- Append-only, by role and by trigger. A guard against mistakes, not against the owner.

CREATE FUNCTION jobwarden.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege',
          HINT = 'Whole periods leave through jobwarden.drop_period(); payloads through jobwarden erase.';
END
$$;
CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON jobwarden.events
  FOR EACH STATEMENT EXECUTE FUNCTION jobwarden.refuse_change();

-- Makes the partitions of a period. Attached, not created in place, so that writers of other periods go on.
CREATE FUNCTION jobwarden.ensure_period(wanted integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = jobwarden, pg_temp AS $$
DECLARE
  suffix text := replace(wanted::text, '-', 'm');
  parent text;
BEGIN
  IF wanted < (SELECT retention_line FROM installation) THEN
    RAISE EXCEPTION 'period % is below the retention line', wanted USING ERRCODE = 'JW001';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('jobwarden.ensure_period', 0));
  FOREACH parent IN ARRAY ARRAY['events', 'bodies'] LOOP
    IF to_regclass(format('jobwarden.%I', parent || '_p' || suffix)) IS NULL THEN
      EXECUTE format('CREATE TABLE jobwarden.%I (LIKE jobwarden.%I INCLUDING ALL)', parent || '_p' || suffix, parent);
      IF parent = 'events' THEN
        EXECUTE format('CREATE UNIQUE INDEX ON jobwarden.%I (shard, number)', 'events_p' || suffix);
      END IF;
      EXECUTE format('ALTER TABLE jobwarden.%I ATTACH PARTITION jobwarden.%I FOR VALUES IN (%L)',
                     parent, parent || '_p' || suffix, wanted);
      IF parent = 'events' THEN
        EXECUTE format('CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON jobwarden.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION jobwarden.refuse_change()', 'events_p' || suffix);
      END IF;
    END IF;
  END LOOP;
END
$$;

-- The one way out of the log: a whole period, once none of its jobs is live. Checks the line itself.
CREATE FUNCTION jobwarden.drop_period(wanted integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = jobwarden, pg_temp AS $$
DECLARE
  suffix text := replace(wanted::text, '-', 'm');
BEGIN
  IF (SELECT clock_mode FROM installation) = 'manual' THEN
    RETURN false;
  END IF;
  IF wanted >= (SELECT retention_line FROM installation) THEN
    RAISE EXCEPTION 'period % is not below the retention line', wanted USING ERRCODE = 'JW002';
  END IF;
  -- A row of version 0 is of no job yet: of a writer that was interrupted before it had anything to write.
  IF EXISTS (SELECT FROM jobs WHERE period = wanted AND row_version > 0
             AND status NOT IN ('succeeded', 'dead-lettered', 'cancelled', 'discarded')) THEN
    RETURN false;
  END IF;
  INSERT INTO job_summaries (job_key, queue_id, job_id, status, attempt, token, since_ms)
    SELECT job_key, queue_id, job_id, status, attempt,
           coalesce((state::json ->> 'e')::bigint, 0) * 4294967296 + attempt, since_ms
    FROM jobs WHERE period = wanted AND row_version > 0 ON CONFLICT DO NOTHING;
  DELETE FROM leases USING jobs WHERE leases.job_key = jobs.job_key AND jobs.period = wanted;
  DELETE FROM jobs WHERE period = wanted;
  EXECUTE format('DROP TABLE IF EXISTS jobwarden.%I', 'events_p' || suffix);
  EXECUTE format('DROP TABLE IF EXISTS jobwarden.%I', 'bodies_p' || suffix);
  RETURN true;
END
$$;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'jobwarden_app') THEN
    CREATE ROLE jobwarden_app NOLOGIN;
  END IF;
END
$$;
-- Whose transactions are old enough to keep dead rows is seen only with this; who may not grant it does without.
DO $$
BEGIN
  GRANT pg_read_all_stats TO jobwarden_app;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'jobwarden_oldest_xmin_age_seconds stays absent: grant pg_read_all_stats to jobwarden_app to have it';
END
$$;
GRANT USAGE ON SCHEMA jobwarden TO jobwarden_app;
GRANT SELECT, INSERT ON jobwarden.events TO jobwarden_app;
GRANT SELECT, INSERT, UPDATE ON jobwarden.bodies TO jobwarden_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  jobwarden.jobs, jobwarden.queue_counters, jobwarden.run_times, jobwarden.queues, jobwarden.shards,
  jobwarden.publishers, jobwarden.publisher_replicas, jobwarden.lanes, jobwarden.replicas, jobwarden.leases, jobwarden.workers,
  jobwarden.queue_states, jobwarden.queue_levels, jobwarden.verdicts, jobwarden.reconciliations,
  jobwarden.outbound, jobwarden.deliveries, jobwarden.quarantine, jobwarden.drifts
  TO jobwarden_app;
GRANT SELECT ON jobwarden.job_summaries TO jobwarden_app;
GRANT SELECT, UPDATE ON jobwarden.installation TO jobwarden_app;
GRANT EXECUTE ON FUNCTION jobwarden.ensure_period(integer), jobwarden.drop_period(integer) TO jobwarden_app;
REVOKE EXECUTE ON FUNCTION jobwarden.ensure_period(integer), jobwarden.drop_period(integer) FROM PUBLIC;
