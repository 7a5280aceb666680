// The operator's command of the demo (docs/rollback.md, "Commands"): says what runs, and changes what is to run. It knows two files, and nothing
// of Jobwarden.
//
//   release-command.js <folder>
import { releasesOf } from './releases.js';
import { applied, looked } from './release-verbs.js';
import { WishFiles } from './wish.js';

const [folder = ''] = process.argv.slice(2);
const { JOBWARDEN_VERB: verb, JOBWARDEN_TARGET: target = '' } = process.env;
const queue = target.replace(/^command:/u, '');
const files = new WishFiles(folder, queue);
const answer = verb === 'observe' ? looked(files, releasesOf(queue)) : applied(files, releasesOf(queue), process.env);
if (typeof answer === 'number') process.exitCode = answer;
else process.stdout.write(JSON.stringify(answer));
