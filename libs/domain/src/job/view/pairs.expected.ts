/**
 * What every pair of facts and decisions must come to, written by hand from DESIGN.md §4 and compared with the code in
 * `pairs.unit.spec.ts`. Where the two disagree, one of them is wrong: find out which, never copy.
 *
 * Status, by its first letters:
 *   que queued · pro processing · rst restart-requested · fai failed · ret retrying · req requeued · inc incomplete ·
 *   suc succeeded · dea dead-lettered · can cancelled · dis discarded
 * Anomalies, a capital each:
 *   Q queued_again · T two_successes · D success_after_dead_letter · C success_after_cancel · X cancel_after_end ·
 *   B ended_before_started · A clock_absurd · U attempt_unknown · F failed_and_succeeded
 *
 * Facts: q queued · cl claimed · st started · sb started, by its clock after any end · sa started, by its clock absurdly
 * early · re released · lr lease-renewal-failed · ok succeeded · fa failed · fg failed for good · ca a request to cancel
 * after the end. 2: of attempt 2, otherwise of attempt 1. q at the end: taken in under `owner: queue`.
 */
export const FACT_COLUMNS = 'q cl st sb sa re lr ok fa fg ca st2 ok2 fa2 fg2 st2q fa2q fg2q';

/**
 * Two facts; the triangle from the diagonal on.
 *
 * Without a decision the facts of attempt 1 say it, success over failure over start. Attempt 2 is unknown and says
 * nothing but a success, until a fact taken in under `owner: queue` makes it the current one: then only it counts.
 * Clocks are compared within one attempt.
 */
export const TWO_FACTS = `
        q     cl    st    sb    sa    re    lr    ok    fa    fg    ca    st2   ok2   fa2   fg2   st2q  fa2q  fg2q
  q     queQ  pro   pro   pro   pro   pro   pro   suc   fai   fai   queX  queU  sucU  queU  queU  pro   fai   fai
  cl          pro   pro   pro   pro   pro   pro   suc   fai   fai   proX  proU  sucU  proU  proU  pro   fai   fai
  st                pro   pro   pro   pro   pro   suc   fai   fai   proX  proU  sucU  proU  proU  pro   fai   fai
  sb                      pro   pro   pro   pro   sucB  faiB  faiB  proX  proU  sucU  proU  proU  pro   fai   fai
  sa                            pro   pro   pro   sucA  faiA  faiA  proX  proU  sucU  proU  proU  pro   fai   fai
  re                                  pro   pro   suc   fai   fai   proX  proU  sucU  proU  proU  pro   fai   fai
  lr                                        pro   suc   fai   fai   proX  proU  sucU  proU  proU  pro   fai   fai
  ok                                              sucT  sucF  sucF  sucX  sucU  sucTU sucU  sucU  suc   suc   suc
  fa                                                    fai   fai   faiX  faiU  sucU  faiU  faiU  pro   fai   fai
  fg                                                          fai   faiX  faiU  sucU  faiU  faiU  pro   fai   fai
  ca                                                                queX  queXU sucXU queXU queXU proX  faiX  faiX
  st2                                                                     queU  sucU  queU  queU  pro   fai   fai
  ok2                                                                           sucTU sucUF sucUF suc   sucF  sucF
  fa2                                                                                 queU  queU  fai   fai   fai
  fg2                                                                                       queU  fai   fai   fai
  st2q                                                                                            pro   fai   fai
  fa2q                                                                                                  fai   fai
  fg2q                                                                                                        fai
`;

/**
 * Decisions, in the order of this table: CX cancelled · DI discarded · RH resolved-by-hand · RS retry-scheduled · HI
 * held-incomplete · RR restart-requested · RW restart-withdrawn · RQ requeued 2 · DL dead-lettered · and those that bear
 * no status: RD redriven · RP republished · ST stop-requested · PA patched · LI limits-changed · PE payload-erased · WR
 * write-refused · IR invalidation-requested.
 */
export const DECISION_COLUMNS = 'CX DI RH RS HI RR RW RQ DL RD RP ST PA LI PE WR IR';

/**
 * A fact and a decision.
 *
 * By hand stands over everything. Then a success. A retry and a request to restart are about attempt 1: attempt 2 of the
 * queue's own takes the status from both, any end of attempt 1 from the request, and from the retry and from
 * held-incomplete only a failure for good. After requeued attempt 2 is current, known, and its facts say it;
 * after restart-withdrawn those of the current attempt, and without any it is processing.
 */
export const FACT_AND_DECISION = `
        CX    DI    RH    RS    HI    RR    RW    RQ    DL    RD    RP    ST    PA    LI    PE    WR    IR
  q     can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
  cl    can   dis   suc   ret   inc   rst   pro   req   dea   pro   pro   pro   pro   pro   pro   pro   pro
  st    can   dis   suc   ret   inc   rst   pro   req   dea   pro   pro   pro   pro   pro   pro   pro   pro
  sb    can   dis   suc   ret   inc   rst   pro   req   dea   pro   pro   pro   pro   pro   pro   pro   pro
  sa    can   dis   suc   ret   inc   rst   pro   req   dea   pro   pro   pro   pro   pro   pro   pro   pro
  re    can   dis   suc   ret   inc   rst   pro   req   dea   pro   pro   pro   pro   pro   pro   pro   pro
  lr    can   dis   suc   ret   inc   rst   pro   req   dea   pro   pro   pro   pro   pro   pro   pro   pro
  ok    canC  disC  suc   suc   suc   suc   suc   suc   sucD  suc   suc   suc   suc   suc   suc   suc   suc
  fa    can   dis   suc   ret   inc   fai   fai   req   dea   fai   fai   fai   fai   fai   fai   fai   fai
  fg    can   dis   suc   fai   fai   fai   fai   req   dea   fai   fai   fai   fai   fai   fai   fai   fai
  ca    canX  disX  sucX  retX  incX  rstX  proX  reqX  deaX  queX  queX  queX  queX  queX  queX  queX  queX
  st2   canU  disU  sucU  retU  incU  rstU  proU  pro   deaU  queU  queU  queU  queU  queU  queU  queU  queU
  ok2   canCU disCU sucU  sucU  sucU  sucU  sucU  suc   sucDU sucU  sucU  sucU  sucU  sucU  sucU  sucU  sucU
  fa2   canU  disU  sucU  retU  incU  rstU  proU  fai   deaU  queU  queU  queU  queU  queU  queU  queU  queU
  fg2   canU  disU  sucU  retU  incU  rstU  proU  fai   deaU  queU  queU  queU  queU  queU  queU  queU  queU
  st2q  can   dis   suc   pro   inc   pro   pro   pro   dea   pro   pro   pro   pro   pro   pro   pro   pro
  fa2q  can   dis   suc   fai   inc   fai   fai   fai   dea   fai   fai   fai   fai   fai   fai   fai   fai
  fg2q  can   dis   suc   fai   fai   fai   fai   fai   dea   fai   fai   fai   fai   fai   fai   fai   fai
`;

/**
 * Two decisions; the row has the lower number, the column the higher.
 *
 * The last by hand stands, unless a redrive follows it; then the higher of those that bear. After a grant of attempt 2 a
 * retry or a request to restart of attempt 1 bears nothing, so the grant does. Without any that bears, and without
 * facts, the job is queued.
 */
export const TWO_DECISIONS = `
        CX    DI    RH    RS    HI    RR    RW    RQ    DL    RD    RP    ST    PA    LI    PE    WR    IR
  CX    can   dis   suc   can   can   can   can   can   can   que   can   can   can   can   can   can   can
  DI    can   dis   suc   dis   dis   dis   dis   dis   dis   que   dis   dis   dis   dis   dis   dis   dis
  RH    can   dis   suc   suc   suc   suc   suc   suc   suc   que   suc   suc   suc   suc   suc   suc   suc
  RS    can   dis   suc   ret   inc   rst   pro   req   dea   ret   ret   ret   ret   ret   ret   ret   ret
  HI    can   dis   suc   ret   inc   rst   pro   req   dea   inc   inc   inc   inc   inc   inc   inc   inc
  RR    can   dis   suc   ret   inc   rst   pro   req   dea   rst   rst   rst   rst   rst   rst   rst   rst
  RW    can   dis   suc   ret   inc   rst   pro   req   dea   pro   pro   pro   pro   pro   pro   pro   pro
  RQ    can   dis   suc   req   inc   req   pro   req   dea   req   req   req   req   req   req   req   req
  DL    can   dis   suc   ret   inc   rst   pro   req   dea   dea   dea   dea   dea   dea   dea   dea   dea
  RD    can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
  RP    can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
  ST    can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
  PA    can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
  LI    can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
  PE    can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
  WR    can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
  IR    can   dis   suc   ret   inc   rst   pro   req   dea   que   que   que   que   que   que   que   que
`;
