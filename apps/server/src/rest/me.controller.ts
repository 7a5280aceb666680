import { Controller, Get, Inject } from '@nestjs/common';
import type { ReadModels } from '#libs/application';
import { TOKEN_SCOPES } from '#libs/config';
import { Me } from '#libs/contracts';
import { Type } from 'typebox';
import type { Authenticator } from '../auth/authenticator.js';
import { mayUse, seesInstallation, type Caller } from '../auth/caller.js';
import { TheCaller } from '../http/inputs.js';
import { Route } from '../http/route.js';
import type { Policies } from '../services.js';
import { AUTHENTICATOR, POLICIES, READS } from '../tokens.js';
import { version } from '../version.js';

const MOST_NAMESPACES = 200;

@Controller('v1/me')
export class MeController {
  constructor(
    @Inject(AUTHENTICATOR) private readonly authenticator: Pick<Authenticator, 'open'>,
    @Inject(READS) private readonly reads: ReadModels,
    @Inject(POLICIES) private readonly policies: Pick<Policies, 'file'>,
  ) {}

  @Get()
  @Route({
    scope: 'read',
    tag: 'installation',
    summary: 'Whose token this is, and what it may do',
    query: Type.Object({}),
    ok: { schema: Me, description: 'The caller.' },
  })
  async me(@TheCaller() caller: Caller): Promise<Me> {
    const { name, namespaces } = caller;
    const { url } = this.policies.file().traces;
    return {
      name,
      scopes: TOKEN_SCOPES.filter((scope) => mayUse(caller, scope)),
      namespaces: namespaces === 'all' ? [...(await this.reads.queues.namespaces(MOST_NAMESPACES))] : [...namespaces],
      everywhere: seesInstallation(caller),
      open: this.authenticator.open,
      version: version(),
      ...(url !== null && { traceUrl: url }),
    };
  }
}
