import type { OpenAPIObject } from '@nestjs/swagger';
import { builtInPolicy, ROLES } from '#libs/config';
import { DEFAULT_LIMITS, NO_REDACTION } from '#libs/contracts';
import { createMetrics } from '#libs/observability';
import { pino } from 'pino';
import { Authenticator } from '../auth/authenticator.js';
import { Lifecycle } from '../boot/lifecycle.js';
import type { Services } from '../services.js';
import { buildApp, type BuiltApp } from './build-app.js';

/** The description of the routes, made without anything behind them. */
export async function describeService(): Promise<OpenAPIObject> {
  const { app, openApi } = await routesAlone();
  try {
    return openApi.document();
  } finally {
    await app.close();
  }
}

/** The real module with every route, and nothing behind them that could be called. */
export async function routesAlone(): Promise<BuiltApp> {
  const file = builtInPolicy();
  const services = {
    log: pino({ level: 'silent' }),
    eventIntake: null,
    lifecycle: new Lifecycle(),
    authenticator: new Authenticator(() => file.tokens),
    metrics: createMetrics({ process: false }),
    policies: { file: () => file, limits: () => DEFAULT_LIMITS, redactor: () => NO_REDACTION },
  } as unknown as Services;
  return await buildApp(services, { roles: ROLES });
}
