import { StatusText, type Shape, type Tone } from '../../kit/StatusText';
import { deadLetters } from '../../text/dead-letters';
import type { RedriveRun } from './letter-queries';

const LOOKS: Readonly<Record<RedriveRun['status'], readonly [Tone, Shape]>> = {
  running: ['busy', 'dot'],
  stopped: ['warn', 'square'],
  finished: ['ok', 'dot'],
};

export function RunStatus({ status }: { readonly status: RedriveRun['status'] }) {
  const [tone, shape] = LOOKS[status];
  return <StatusText text={deadLetters.redrive.status[status]} tone={tone} shape={shape} filled />;
}
