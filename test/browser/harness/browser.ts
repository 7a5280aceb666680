import { chromium, type Browser } from 'playwright-core';
import { chromiumPath } from './missing.js';

/** Throws where there is none. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error('Chromium is missing');
  return await chromium.launch({ executablePath });
}
