import { common } from '../text/common';
import { StatusText, type Shape, type Tone } from './StatusText';

export type JobStatusWord = keyof typeof common.status;

const LOOKS: Readonly<Record<JobStatusWord, readonly [Tone, Shape]>> = {
  queued: ['calm', 'ring'],
  processing: ['busy', 'dot'],
  'restart-requested': ['warn', 'triangle'],
  failed: ['bad', 'cross'],
  retrying: ['warn', 'ring'],
  requeued: ['busy', 'ring'],
  incomplete: ['warn', 'square'],
  succeeded: ['ok', 'dot'],
  'dead-lettered': ['bad', 'square'],
  cancelled: ['calm', 'cross'],
  discarded: ['calm', 'square'],
};

export function JobStatus({ status }: { readonly status: JobStatusWord }) {
  const [tone, shape] = LOOKS[status];
  return <StatusText text={common.status[status]} tone={tone} shape={shape} filled />;
}
