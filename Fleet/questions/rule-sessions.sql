-- The sessions in which a rule of `replay lint` fires, those that it costs most first, with the event that shows it.
WITH asked AS (SELECT 'excess-reads' AS rule)
SELECT s.app_version AS app_version, f.subject AS subject, f.path_kind AS path_kind, f.saves_ns AS saves_ns,
  s.session_id AS session_id, s.log_uri AS log_uri, f.evidence_seq AS evidence_seq
FROM asked
JOIN findings f ON f.rule = asked.rule
JOIN sessions s ON s.session_id = f.session_id
ORDER BY f.saves_ns DESC, s.session_id, f.subject NULLS LAST, f.path_kind NULLS LAST, f.evidence_seq
