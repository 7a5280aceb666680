/** What is wrong with the dashboard that the tarball brings; null: nothing. */
export async function dashboardFault(url: string): Promise<string | null> {
  const page = await fetch(`${url}/`);
  const text = await page.text();
  if (page.status !== 200) return `/ is answered ${String(page.status)}: ${text.slice(0, 200)}`;
  if (!(page.headers.get('content-security-policy') ?? '').includes(`default-src 'none'`)) return '/ has no content policy';
  const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
  if (!files.some((file) => file.endsWith('.js'))) return '/ names no script';
  for (const file of files) {
    const answer = await fetch(`${url}${file}`);
    const bytes = (await answer.arrayBuffer()).byteLength;
    if (answer.status !== 200 || bytes === 0) return `${file} is answered ${String(answer.status)} with ${String(bytes)} bytes`;
  }
  return null;
}
