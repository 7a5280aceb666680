import type { Annotation } from './model.js';
import { DATA_SOURCE } from './panel.js';
import { J, QJ } from './selectors.js';

const STEP = '30s';

/** Incidents are stretches, from when one is opened to its end; a release is the moment in which its first job began. */
export function annotationsOf(ofQueue: boolean): readonly Annotation[] {
  const incidents = ofQueue
    ? `max by (queue, kind) (jobwarden_queue_incidents_open{${QJ}}) > 0`
    : `max by (kind) (jobwarden_incidents_open{${J}}) > 0`;
  return [
    marks('Incidents', 'red', incidents, ofQueue ? 'Incident: {{kind}} of {{queue}}' : 'Incident: {{kind}}', { tagKeys: 'kind' }),
    marks('Releases', 'blue', `max by (queue, revision) (jobwarden_revision_first_seen_timestamp_seconds{${ofQueue ? QJ : J}}) * 1000`, 'Release {{revision}} of {{queue}}', {
      tagKeys: 'queue,revision',
      useValueForTime: true,
    }),
  ];
}

function marks(name: string, iconColor: string, expr: string, titleFormat: string, more: Pick<Annotation, 'tagKeys'> & Partial<Annotation>): Annotation {
  return { name, datasource: DATA_SOURCE, enable: true, hide: false, iconColor, target: { refId: 'Anno', expr, interval: STEP }, expr, step: STEP, titleFormat, textFormat: '', useValueForTime: false, ...more };
}
