// A worker of one job, a process of its own, to be killed: starts the attempt, beats, and fails it where it is told to.
const { JOBWARDEN, ATTEMPT, ENDS } = process.env;
const attempt = Number(ATTEMPT);
const worker = { id: 'mortal', incarnation: `p${process.pid}` };
let count = 0;

async function say(type, data = {}) {
  count += 1;
  const event = {
    specversion: '1.0',
    id: `${process.pid}-${count}`,
    source: 'mortal',
    subject: 'five',
    type: `jobwarden.job.${type}.v1`,
    data: { queue: 'q', attempt, worker, ...data },
  };
  const answer = await fetch(`${JOBWARDEN}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  if (!answer.ok) throw new Error(`${type}: ${answer.status} ${await answer.text()}`);
}

await say('started', { leaseMs: 1_000 });
if (ENDS === 'failed') await say('failed', { error: { class: 'E', message: 'no' } });
process.stdout.write('there\n');
// The service dies first, now and then: what it does not hear, nobody hears.
if (ENDS !== 'failed') setInterval(() => say('heartbeat', { leaseMs: 1_000 }).catch(() => undefined), 200);
else setInterval(() => undefined, 1_000);
