import { Catch, Controller, Inject, UseFilters, type ExceptionFilter } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { throwError, type Observable } from 'rxjs';
import type { FeedBatch, FeedReceiver } from '#libs/application';
import { EVENT_INTAKE } from '../tokens.js';
import { EVENTS_PATTERN } from './kafka-strategy.js';

/** Nest would put words of its own in the place of the error, and whether to repeat the batch is in the error. */
@Catch()
class AsItIs implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** Events from Kafka: of the role `work`, where there are brokers. */
@Controller()
@UseFilters(new AsItIs())
export class EventsConsumer {
  constructor(@Inject(EVENT_INTAKE) private readonly intake: Pick<FeedReceiver, 'batch'>) {}

  /** Resolves when everything of it is committed. */
  @EventPattern(EVENTS_PATTERN)
  async batch(@Payload() batch: FeedBatch): Promise<void> {
    await this.intake.batch(batch);
  }
}
