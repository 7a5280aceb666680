import type { ClaimAnswer, ClaimJob } from '#libs/application';
import type { Metrics } from '#libs/observability';

/** Claims, counted by what was answered. */
export function countedClaims(claims: Pick<ClaimJob, 'claim'>, { claims: counter }: Pick<Metrics, 'claims'>): Pick<ClaimJob, 'claim'> {
  return {
    async claim(ref, request) {
      const answer = await claims.claim(ref, request);
      counter.add({ outcome: outcomeOf(answer) });
      return answer;
    },
  };
}

function outcomeOf(answer: ClaimAnswer) {
  return answer.kind === 'refused' ? answer.refusal : answer.kind;
}
