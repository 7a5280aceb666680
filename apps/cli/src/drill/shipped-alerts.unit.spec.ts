import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { METRICS } from '#libs/observability';
import { SCRAPE_JOB, SHIPPED_ALERTS, SHIPPED_METRIC } from './shipped-alerts.js';

const FOLDER = join(import.meta.dirname, '../../../../deploy/prometheus');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

it('are those of the rules that are shipped, all of them', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.rules.yaml'));
  const groups = files.flatMap((name) => (parse(read(name)) as { groups: { rules: { alert?: string }[] }[] }).groups);
  const alerts = groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  expect([...SHIPPED_ALERTS]).toEqual(alerts.sort());
});

it('are about the job that is scraped, and a metric that there is', () => {
  const { scrape_configs: jobs } = parse(read('prometheus.yaml')) as { scrape_configs: { job_name: string }[] };
  expect(jobs.map(({ job_name: name }) => name)).toEqual([SCRAPE_JOB]);
  expect(read('jobwarden.rules.yaml')).toContain(`absent(${SHIPPED_METRIC})`);
  expect(Object.values(METRICS).map(({ name }) => name)).toContain(SHIPPED_METRIC);
});
