// `npm run screenshots`: the pages of the shipped service with the demo's fleet behind them, in both themes, into docs/images.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { freePort, startServerProcess } from '#libs/testing';
import { launchBrowser } from '../harness/browser.js';
import { anHourOf } from './hour.js';
import { withPalette } from './palette.js';
import { MOMENTS, SHOTS, waitFor, type Shot } from './shots.js';

const wanted = process.argv.slice(2);
const OUT = join(process.cwd(), 'docs', 'images');
const SIZES = { desk: { width: 1_280, height: 800 }, phone: { width: 375, height: 760 } } as const;

const folder = mkdtempSync(join(tmpdir(), 'jobwarden-screenshots-'));
const port = await freePort();
const url = `http://127.0.0.1:${String(port)}`;
const env = { JOBWARDEN_HTTP_PORT: String(port), JOBWARDEN_DATA_DIR: join(folder, 'data') };
const service = await startServerProcess({ args: ['--demo'], env, readyUrl: `${url}/readyz`, withinMs: 120_000 });
try {
  mkdirSync(OUT, { recursive: true });
  const browser = await launchBrowser();
  try {
    for (const moment of MOMENTS) {
      await waitFor(moment, url);
      if (moment === 'waits') await anHourOf(join(folder, 'data'));
      for (const shot of SHOTS.filter(({ at, name }) => at === moment && (wanted.length === 0 || wanted.includes(name)))) for (const scheme of ['light', 'dark'] as const) await take(browser, shot, scheme);
    }
  } finally {
    await browser.close();
  }
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function take(browser: Browser, { name, path, shows, size = 'desk' }: Shot, scheme: 'light' | 'dark'): Promise<void> {
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: scheme, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    await page.goto(`${url}${typeof path === 'string' ? path : await path(url)}`);
    await page.getByText(shows).locator('visible=true').first().waitFor();
    writeFileSync(join(OUT, `${name}-${scheme}.png`), withPalette(await page.screenshot()));
    console.log(`${name}-${scheme}.png`);
  } finally {
    await context.close();
  }
}
