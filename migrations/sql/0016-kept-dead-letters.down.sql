CREATE OR REPLACE FUNCTION jobwarden.drop_period(wanted integer) RETURNS boolean
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
