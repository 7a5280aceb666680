/** `00-<trace id>-<span id>-<flags>` → its trace id; null for anything else. */
export function traceIdOf(traceparent: string | undefined): string | null {
  const id = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent ?? '')?.[1];
  return id === undefined || /^0+$/.test(id) ? null : id;
}

/** Where that trace is looked at: the installation's template with the id in it. Only to the web: a template is no place for a script. */
export function traceHref(template: string | undefined, traceId: string): string | null {
  if (template === undefined) return null;
  const href = template.replaceAll('{traceId}', traceId);
  return /^https?:\/\//i.test(href) ? href : null;
}
