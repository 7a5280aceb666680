import { HttpException } from '@nestjs/common';
import { RetryableError, TerminalError } from '#libs/application';
import { UnknownFoldVersion } from '#libs/domain';
import { Problem } from './problem.js';

/** Whatever was thrown, as the answer to give. What is nobody's expectation is `internal`, and says nothing of itself. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof RetryableError) return ofRetryable(error);
  if (error instanceof TerminalError) return ofTerminal(error);
  if (error instanceof UnknownFoldVersion) return new Problem(500, 'newer_rows', error.message, { cause: error });
  if (error instanceof HttpException) return ofFramework(error.getStatus(), error.cause ?? error);
  if (isFastifyError(error) && error.statusCode < 500) return ofFramework(error.statusCode, error);
  return internal(error);
}

function internal(cause: unknown): Problem {
  return new Problem(
    500,
    'internal',
    'Something failed here that should not have. The log says more under this requestId.',
    { cause },
  );
}

function ofRetryable(error: RetryableError): Problem {
  const busy = error.code === 'connection_exhaustion';
  return new Problem(503, error.code, error.message, {
    title: busy ? 'No database connection is free' : 'Try again',
    headers: { 'retry-after': '1' },
    cause: error,
  });
}

/** Codes of terminal errors that are the request's fault. */
const REQUEST_FAULTS: Readonly<Record<string, number>> = { cursor_invalid: 400, unstorable: 400, evidence_over: 409 };

function ofTerminal(error: TerminalError): Problem {
  const status = REQUEST_FAULTS[error.code];
  if (status !== undefined) return new Problem(status, error.code, error.message, { cause: error });
  return new Problem(500, error.code, error.message, { cause: error });
}

interface FastifyErrorLike extends Error {
  readonly statusCode: number;
  readonly code: string;
}

function isFastifyError(error: unknown): error is FastifyErrorLike {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' && 'code' in error;
}

/** What the router and the framework refuse before a handler is reached. */
function ofFramework(status: number, cause: unknown): Problem {
  const code = isFastifyError(cause) ? cause.code : '';
  switch (code) {
    case 'FST_ERR_BAD_URL':
      return new Problem(
        400,
        'url_invalid',
        'The path is not validly percent-encoded; encode each part once, as UTF-8.',
        { cause },
      );
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem(414, 'url_too_long', 'A part of the path is longer than any name may be.', { cause });
    default:
      break;
  }
  if (status === 415) {
    return new Problem(415, 'unsupported_media_type', 'The content-type is no media type; send one such as application/json.', { cause });
  }
  if (status === 404)
    return new Problem(404, 'route_unknown', 'There is no such route; GET /openapi.json lists all of them.', { cause });
  return new Problem(
    status,
    'request_invalid',
    cause instanceof Error ? cause.message : 'The request cannot be read.',
    { cause },
  );
}
