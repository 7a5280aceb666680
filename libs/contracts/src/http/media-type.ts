import { unsupported, type HttpProblem } from './http-problem.js';

/** How events stand in a request: CloudEvents over HTTP, and plain JSON for whoever has no SDK. */
export type HttpMode = 'structured' | 'batch' | 'binary';

/** `plain`: an object is one event, an array a batch. */
export type BodyForm = HttpMode | 'plain';

/** The form of the body by its media type; `attributes`: there are `ce-*` headers. */
export function bodyForm(contentType: string | undefined, attributes: boolean): BodyForm | HttpProblem {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.map((part) => /^charset\s*=\s*"?([^"]*)"?$/u.exec(part)?.[1]).find((found) => found !== undefined);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    return unsupported(`charset ${JSON.stringify(charset)} cannot be read`);
  }
  if (type === 'application/cloudevents+json') return 'structured';
  if (type === 'application/cloudevents-batch+json') return 'batch';
  if (type.startsWith('application/cloudevents')) return unsupported(`media type ${JSON.stringify(type)} cannot be read`);
  const json = type === 'application/json' || type === 'text/json' || /^[^/\s]+\/[^/\s]+\+json$/u.test(type);
  if (attributes && (json || type === '')) return 'binary';
  if (type === 'application/json') return 'plain';
  if (type === '') return unsupported('no content-type was sent');
  return unsupported(`media type ${JSON.stringify(type.slice(0, 100))} cannot be read`);
}
