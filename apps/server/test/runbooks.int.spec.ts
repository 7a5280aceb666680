import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '#libs/testing';
import { event, TestService } from './service.fixture.js';

const FOLDER = join(import.meta.dirname, '../../../docs/runbooks');

/** What the pages tell to ask first, as paths. */
function pathsOf(page: string): readonly string[] {
  const text = readFileSync(join(FOLDER, page), 'utf8');
  return [...text.matchAll(/curl -sS "?\$jw([^"\s]+)/gu)].map(([, path = '']) => path.replaceAll('$queue', 'emails'));
}

describe('what a runbook tells to look at first', () => {
  const database = useTestDatabase();
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start(database.url);
    await service.send(event('queued', 'one'));
  });
  afterAll(() => service.stop());

  it.each(globSync('*.md', { cwd: FOLDER }))('is answered: %s', async (page) => {
    for (const path of pathsOf(page)) expect([path, (await service.get(path)).status]).toEqual([path, 200]);
  });

  it('is found at all', () => expect(pathsOf('JobwardenJobsStuck.md').length).toBeGreaterThan(3));
});
