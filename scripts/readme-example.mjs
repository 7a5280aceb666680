// Prints the README's example that is tried on every run, so that it cannot rot:
//
//   <!-- tried: and shows "some words" -->      --expects prints those words
//   ```sh
//   curl ...
//   ```
import { readFileSync } from 'node:fs';

const [file, what] = process.argv.slice(2);
const example = /<!-- tried: and shows "(?<expected>.+?)" -->\s*```(?:sh|bash)\n(?<script>[\s\S]+?)```/.exec(
  readFileSync(file, 'utf8'),
);
if (!example) {
  console.error(`${file} has no example that is marked as tried.`);
  process.exit(1);
}
process.stdout.write(what === '--expects' ? example.groups.expected : example.groups.script);
