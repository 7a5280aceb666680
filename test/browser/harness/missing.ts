// Chromium is a package of the system. A developer without it can still run all other tests and is told what was left out; a
// continuous build may leave nothing out.
import { accessSync, constants } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

/** Where the browser is; null: nowhere. `JOBWARDEN_TEST_CHROMIUM` names another place. */
export function chromiumPath(): string | null {
  const named = process.env['JOBWARDEN_TEST_CHROMIUM'];
  return [...(named === undefined ? [] : [named]), ...PLACES].find(isProgram) ?? null;
}

/** One line that says what to install; null when there is a browser. */
export function browserMissing(): string | null {
  return chromiumPath() === null ? 'The tests in a browser are left out: Chromium is missing. Debian: apt-get install chromium' : null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
