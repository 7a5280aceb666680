import { describe, expect, it } from 'vitest';
import { readFirstExample } from './first-example.js';

const readme = (example: string) => `# A package\n\n## First example\n\nDo this:\n\n${example}\n\n## Options\n\n\`\`\`js\nother();\n\`\`\`\n`;

describe('the first example of a README', () => {
  it('is its first block with what it shows', () => {
    expect(readFirstExample(readme('<!-- shows "it ran" -->\n```js\nrun();\n```'))).toEqual({ language: 'js', code: 'run();\n', shows: 'it ran', policy: null });
  });

  it('may come with what the policy file has to have for it', () => {
    const example = '<!-- added to the policy file -->\n```yaml\nwebhooks: []\n```\n\n<!-- shows "ok" -->\n```js\nrun();\n```';
    expect(readFirstExample(readme(example))).toMatchObject({ code: 'run();\n', policy: 'webhooks: []\n' });
  });

  it('may be the last section', () => {
    expect(readFirstExample('## First example\n\n<!-- shows "ok" -->\n```sh\ntrue\n```').language).toBe('sh');
  });

  it.each([
    ['is missing', '# A package\n\n## Options\n', 'has no "## First example"'],
    ['shows nothing', readme('```js\nrun();\n```'), 'its first example is no'],
    ['stands in another section', '## First example\n\nNone.\n\n## Options\n\n<!-- shows "x" -->\n```js\nrun();\n```', 'its first example is no'],
  ])('is missed where it %s', (_, text, said) => {
    expect(() => readFirstExample(text)).toThrow(said);
  });
});
