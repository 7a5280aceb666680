import { Controller, Get, Inject } from '@nestjs/common';
import type { ReadModels } from '#libs/application';
import { TOKEN_SCOPES } from '#libs/config';
import { Me } from '#libs/contracts';
import { Type } from 'typebox';
import type { Authenticator } from '../auth/authenticator.js';
import { mayUse, seesInstallation, type Caller } from '../auth/caller.js';
import { TheCaller } from '../http/inputs.js';
import { Route } from '../http/route.js';
import { AUTHENTICATOR, READS } from '../tokens.js';
import { version } from '../version.js';

const MOST_NAMESPACES = 200;

@Controller('v1/me')
export class MeController {
  constructor(
    @Inject(AUTHENTICATOR) private readonly authenticator: Pick<Authenticator, 'open'>,
    @Inject(READS) private readonly reads: ReadModels,
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
    return {
      name,
      scopes: TOKEN_SCOPES.filter((scope) => mayUse(caller, scope)),
      namespaces: namespaces === 'all' ? [...(await this.reads.queues.namespaces(MOST_NAMESPACES))] : [...namespaces],
      everywhere: seesInstallation(caller),
      open: this.authenticator.open,
      version: version(),
    };
  }
}
