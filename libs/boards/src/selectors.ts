/** Of the installation that was chosen. */
export const J = 'job=~"$job"';
/** Of its chosen queues. */
export const QJ = `${J},queue=~"$queue"`;
/** Of its chosen replicas. */
export const IJ = `${J},instance=~"$instance"`;

/** Per second, over as long as Grafana takes for a step with enough samples in it. */
export function rate(metric: string, selector: string): string {
  return `rate(${metric}{${selector}}[$__rate_interval])`;
}

export function sumRate(metric: string, selector: string, by = ''): string {
  return `sum${by === '' ? '' : ` by (${by})`} (${rate(metric, selector)})`;
}

/** A quantile of a histogram; where nothing was observed there is none, and not something that is no number. */
export function quantile(q: number, metric: string, selector: string, by = ''): string {
  return `histogram_quantile(${String(q)}, ${sumRate(`${metric}_bucket`, selector, by === '' ? 'le' : `le, ${by}`)}) >= 0`;
}
