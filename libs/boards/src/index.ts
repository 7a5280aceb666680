export { readAlertRules, ruleAt, type AlertRule, type AlertRules } from './alert-rules.js';
export { boards, expressionsOf, type Expression } from './boards.js';
export type { Annotation, Dashboard, Link, Panel, Row, Target, Variable } from './model.js';
