import type { Variable } from './model.js';
import { DATA_SOURCE } from './panel.js';

export const DATA_SOURCES: Variable = { type: 'datasource', name: 'datasource', label: 'Prometheus', query: 'prometheus', hide: 0, current: {} };

/** The values of a label, all of them at first. */
function labelValues(name: string, label: string, definition: string): Variable {
  return {
    ...{ type: 'query', name, label, datasource: DATA_SOURCE, definition, query: { query: definition, refId: name } },
    ...{ refresh: 2, sort: 1, multi: true, includeAll: true, allValue: '.*', hide: 0, current: { text: 'All', value: '$__all' } },
  };
}

/** Several installations may be scraped by one Prometheus, each as a job of its own. */
export const JOB = labelValues('job', 'Scrape job', 'label_values(jobwarden_sweep_looked_total, job)');
export const QUEUE = labelValues('queue', 'Queue', 'label_values(worker_jobs_processed_total{job=~"$job"}, queue)');
export const INSTANCE = labelValues('instance', 'Replica', 'label_values(jobwarden_sweep_looked_total{job=~"$job"}, instance)');

function text(name: string, label: string, description: string, value: string): Variable {
  return { type: 'textbox', name, label, description, query: value, hide: 2, current: { text: value, value } };
}

/** Where links lead: set once, as docs/boards.md says. */
export const JOBWARDEN = text('jobwarden', 'Jobwarden', 'Where Jobwarden listens, for links to its own dashboard.', 'http://localhost:7411');
export const DOCS = text('docs', 'Documentation', 'Where the folder docs of the repository can be read, for links to runbooks.', 'http://localhost:8000/docs');
