// Two workers at one job: both write, and one effect is left, that of the newer attempt.
import { installPostgresFence, postgresFence, StaleTokenError } from '@jobwarden/fences';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres' });
await installPostgresFence(pool);
await pool.query('CREATE TABLE IF NOT EXISTS example_payouts (invoice text, paid_by bigint)');
await pool.query('TRUNCATE example_payouts');
const invoice = `invoice-${Date.now()}`;

async function pay(token) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    // The queue and the job are in the name: tokens of two jobs say nothing of each other.
    await postgresFence(client, `payouts/${invoice}`, token);
    await client.query('DELETE FROM example_payouts WHERE invoice = $1', [invoice]);
    await client.query('INSERT INTO example_payouts VALUES ($1, $2)', [invoice, token]);
    await client.query('COMMIT');
    return 'paid';
  } catch (error) {
    await client.query('ROLLBACK');
    if (error instanceof StaleTokenError) return 'stale: nothing written';
    throw error;
  } finally {
    client.release();
  }
}

console.log(`token 8: ${await pay(8)}`);
console.log(`token 7: ${await pay(7)}`);
const { rows } = await pool.query('SELECT paid_by FROM example_payouts WHERE invoice = $1', [invoice]);
console.log(`${rows.length} payout, by token ${rows[0].paid_by}`);
await pool.query('DROP TABLE example_payouts');
await pool.end();
