import { MOST_CUTS } from '#libs/application';

/**
 * The events of a job (its key and period stand in `of`) from which something may have been cut, as a JSON text; null: none.
 * What only looks like it is told apart by whoever reads them.
 */
export function cutEvents(of: string): string {
  return `(SELECT json_agg(json_build_object('type', f.type, 'id', f.id, 'laneMs', f.lane_ms, 'data', f.data) ORDER BY f.number)::text
   FROM (SELECT type, id, lane_ms, data, number FROM jobwarden.events
         WHERE period = ${of}.period AND job_key = ${of}.job_key AND (data LIKE '%"x":["%' OR data LIKE '%"messageBody":{%')
         ORDER BY number LIMIT ${MOST_CUTS}) f)`;
}
