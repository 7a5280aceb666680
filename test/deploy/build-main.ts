// `npm run build:deploy`: builds what the deployment is checked with where it is missing, as the first test of it would.
import { kubernetesMissing } from '../kubernetes/plane/missing.js';
import { deployCheckers } from './programs.js';

const missing = kubernetesMissing();
if (missing === null) {
  const { helm } = await deployCheckers({ tell: (line) => process.stdout.write(`${line}\n`) });
  process.stdout.write(`${helm} is there\n`);
} else {
  process.stderr.write(`${missing}\n`);
  process.exitCode = 1;
}
