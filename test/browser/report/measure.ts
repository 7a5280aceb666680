import type { Browser } from 'playwright-core';

/** Of the overview: a row of the queues that has been drawn. */
const ROW = `document.querySelector('[role="table"] [role="row"][aria-rowindex="2"] [role="cell"]')`;

/** From the click on a link to the first rows on the screen, in a browser that has never seen these pages, ms. */
export async function opening(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(`
      const look = () => { if (${ROW}) requestAnimationFrame(() => { window.drawnAt = performance.now(); }); else requestAnimationFrame(look); };
      requestAnimationFrame(look);`);
    await page.goto(url, { waitUntil: 'commit' });
    return await page.evaluate<number>(`new Promise((resolve) => {
      const look = () => (window.drawnAt === undefined ? setTimeout(look, 5) : resolve(window.drawnAt));
      look();
    })`);
  } finally {
    await context.close();
  }
}

/** The longest time between two frames while all rows go by, ms. */
export async function scrolling(browser: Browser, url: string): Promise<{ readonly longestMs: number; readonly frames: number }> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('row').nth(1).waitFor();
    return await page.evaluate<{ longestMs: number; frames: number }>(`new Promise((resolve) => {
      const box = document.querySelector('[role="table"]').parentElement;
      const steps = 120;
      let [step, last, longestMs] = [0, 0, 0];
      const frame = (now) => {
        if (step > 1) longestMs = Math.max(longestMs, now - last);
        last = now;
        box.scrollTop = ((box.scrollHeight - box.clientHeight) * step) / steps;
        step += 1;
        if (step <= steps) requestAnimationFrame(frame);
        else resolve({ longestMs, frames: step });
      };
      requestAnimationFrame(frame);
    })`);
  } finally {
    await context.close();
  }
}

/** One answer of the API, ms and bytes. */
export async function answering(url: string): Promise<{ readonly ms: number; readonly bytes: number }> {
  const begun = performance.now();
  const text = await (await fetch(`${url}/v1/overview`)).text();
  return { ms: performance.now() - begun, bytes: text.length };
}
