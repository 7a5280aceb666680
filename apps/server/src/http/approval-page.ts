export interface ApprovalPage {
  readonly summary: string;
  readonly asks: string;
  readonly waitsFor: string | null;
  /** Where the button posts to; null: there is nothing left to approve. */
  readonly action: string | null;
}

/** One button, no script: it has to work in whatever opens a link on a phone at night. */
export function approvalPage({ summary, asks, waitsFor, action }: ApprovalPage): string {
  const button =
    action === null
      ? `<p>This was answered already, or is asked no more.${waitsFor === null ? '' : ` The run waits for ${escaped(waitsFor)}.`}</p>`
      : `<form method="post" action="${escaped(action)}"><button type="submit">Approve</button></form>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Approve</title><h1>${escaped(summary)}</h1><p>${escaped(asks)}</p>${button}</html>\n`;
}

function escaped(text: string): string {
  const by: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/gu, (character) => by[character] ?? character);
}
