import { chmodSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from './account.js';

/** A folder that was put back by a copy that keeps neither modes nor owners: PostgreSQL would refuse it. */
export function takeBack(dataDir: string, { owner }: Pick<Account, 'owner'>): void {
  const openToOthers = 0o027;
  if (process.platform !== 'win32' && (statSync(dataDir).mode & openToOthers) !== 0) chmodSync(dataDir, 0o700);
  const marker = join(dataDir, 'PG_VERSION');
  if (owner === undefined || lstatSync(marker).uid === owner.uid) return;
  giveAll(dataDir, owner, marker);
  // Last: while it is another's, the rest is not known to be whole.
  lchownSync(marker, owner.uid, owner.gid);
}

/** We may be root, and the folder another's: links change hands themselves, and are never followed. */
function giveAll(folder: string, owner: { readonly uid: number; readonly gid: number }, butFor: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (path === butFor) continue;
    lchownSync(path, owner.uid, owner.gid);
    if (entry.isDirectory()) giveAll(path, owner, butFor);
  }
}
