import { useQuery } from '@tanstack/react-query';
import { Anomalies } from './Anomalies';
import { Attempts } from './Attempts';
import { Bodies } from './Bodies';
import { Causes } from './Causes';
import { Invalidations } from './Invalidations';
import { verdictsQuery, type JobDetail } from './job-queries';
import { Standing } from './Standing';
import { Timeline } from './Timeline';
import { Verdicts } from './Verdicts';

/** The most important first: how it stands and what can be done, what is odd, why it failed; then what happened. */
export function JobView({ job }: { readonly job: JobDetail }) {
  const verdicts = useQuery(verdictsQuery(job));
  const said = verdicts.data?.items ?? [];
  return (
    <>
      <Standing job={job} verdicts={said} />
      {job.anomalies.length > 0 && <Anomalies anomalies={job.anomalies} />}
      <Causes job={job} />
      <Attempts job={job} />
      {said.length > 0 && <Verdicts verdicts={said} job={job} />}
      <Timeline job={job} />
      <Bodies job={job} />
      <Invalidations job={job} />
    </>
  );
}
