import { chownSync, lchownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeBack } from './take-back.js';

const owner = { uid: 65_534, gid: 65_534 };

describe('a data folder that was put back', () => {
  let folder: string;
  let data: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-take-back-'));
    data = join(folder, 'data');
    mkdirSync(join(data, 'base', '5'), { recursive: true, mode: 0o755 });
    writeFileSync(join(data, 'base', '5', '1259'), 'rows');
    writeFileSync(join(data, 'PG_VERSION'), '18\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is closed to others', () => {
    takeBack(data, { owner: undefined });
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });

  describe.skipIf(process.getuid?.() !== 0)('by root, who starts it as another', () => {
    const uidOf = (...parts: string[]): number => lstatSync(join(folder, ...parts)).uid;

    it('is that one’s with all that is in it', () => {
      takeBack(data, { owner });
      expect([uidOf('data', 'base'), uidOf('data', 'base', '5', '1259'), uidOf('data', 'PG_VERSION')]).toEqual([owner.uid, owner.uid, owner.uid]);
    });

    it('gives away nothing that lies elsewhere, wherever links in it lead', () => {
      mkdirSync(join(folder, 'elsewhere'));
      writeFileSync(join(folder, 'elsewhere', 'secret'), 'ours');
      symlinkSync('../elsewhere', join(data, 'pg_wal'));
      symlinkSync('../../elsewhere/secret', join(data, 'base', 'link'));
      takeBack(data, { owner });
      expect([uidOf('data', 'pg_wal'), uidOf('data', 'base', 'link'), uidOf('data', 'PG_VERSION')]).toEqual([owner.uid, owner.uid, owner.uid]);
      expect([uidOf('elsewhere'), uidOf('elsewhere', 'secret')]).toEqual([0, 0]);
    });

    it('is left alone where it is that one’s already, and gone through again where it was left half done', () => {
      const inside = join(data, 'base', '5', '1259');
      chownSync(join(data, 'PG_VERSION'), owner.uid, owner.gid);
      takeBack(data, { owner });
      expect(lstatSync(inside).uid).toBe(0);
      // A link in its place is no proof of whose the rest is.
      rmSync(join(data, 'PG_VERSION'));
      writeFileSync(join(folder, 'theirs'), '18\n');
      chownSync(join(folder, 'theirs'), owner.uid, owner.gid);
      symlinkSync('../theirs', join(data, 'PG_VERSION'));
      lchownSync(join(data, 'PG_VERSION'), 0, 0);
      takeBack(data, { owner });
      expect(lstatSync(inside).uid).toBe(owner.uid);
    });
  });
});
