import { expect, it } from 'vitest';
import { revisionOf } from './revision.js';

const image = (name: string) => ({ spec: { containers: [{ image: name }, { image: 'sidecar:9' }] } });

it('a revision is what is written for us, else the version, else the digest, else the tag', () => {
  const template = image('shop/workers:1.4.2');
  const labels = { 'app.kubernetes.io/version': '1.4.2-rc', 'jobwarden.dev/revision': 'by-label' };
  expect(revisionOf({ ...template, metadata: { labels, annotations: { 'jobwarden.dev/revision': 'by-annotation' } } })).toBe('by-annotation');
  expect(revisionOf({ ...template, metadata: { labels } })).toBe('by-label');
  expect(revisionOf({ ...template, metadata: { labels: { 'app.kubernetes.io/version': '1.4.2-rc' } } })).toBe('1.4.2-rc');
});

it.each([
  ['shop/workers:1.4.2', '1.4.2'],
  ['registry.example:5000/shop/workers:1.4.2', '1.4.2'],
  ['registry.example:5000/shop/workers', null],
  ['shop/workers:1.4.2@sha256:0f1e', 'sha256:0f1e'],
  ['workers', null],
  ['', null],
])('of the image %j it is %j', (name, revision) => {
  expect(revisionOf(image(name))).toBe(revision);
});

it('a template without containers names none', () => {
  expect(revisionOf({})).toBeNull();
});
