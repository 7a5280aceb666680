import { describe, expect, it } from 'vitest';
import { diagnosticReport } from './diagnostic-report.js';

describe('a diagnostic report', () => {
  it('has stacks and heap, and nothing of the environment, the network, or the arguments', () => {
    process.env['SHOP_PASSWORD'] = 'hunter2-in-the-environment';
    try {
      const report = diagnosticReport() as { readonly header: Readonly<Record<string, unknown>>; readonly javascriptHeap: object; readonly javascriptStack: object };
      const text = JSON.stringify(report);
      expect(report.javascriptHeap).toMatchObject({ totalMemory: expect.any(Number) as unknown });
      expect(text).not.toContain('hunter2');
      expect(report).not.toHaveProperty('environmentVariables');
      expect(report.header).not.toHaveProperty('networkInterfaces');
      expect(report.header['commandLine']).toHaveLength(1);
    } finally {
      delete process.env['SHOP_PASSWORD'];
    }
  });

  it('leaves no secret in a text that it quotes', () => {
    const real = process.report.getReport.bind(process.report);
    process.report.getReport = () => ({ javascriptStack: { message: 'cannot reach postgres://app:s3cret@db/x with token=abc123 and "password": "p4ss"', errorProperties: { apiKey: 'k' } } });
    try {
      const text = JSON.stringify(diagnosticReport());
      expect(text).toMatch(/postgres:\/\/app:\[redacted\]@db/u);
      for (const secret of ['s3cret', 'abc123', 'p4ss', '"k"']) expect(text).not.toContain(secret);
    } finally {
      process.report.getReport = real;
    }
  });
});
