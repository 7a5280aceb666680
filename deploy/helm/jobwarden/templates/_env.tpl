{{- define "jobwarden.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end -}}

{{/* Of a pod that serves. `root` and `roles`. */}}
{{- define "jobwarden.env" -}}
{{- $values := .root.Values -}}
{{- with $values.database }}
{{ include "jobwarden.secretEnv" (dict "name" "JOBWARDEN_DATABASE_URL" "secret" .existingSecret "key" .key) }}
- name: JOBWARDEN_DATABASE_POOLING
  value: {{ .pooling }}
- name: JOBWARDEN_SHARDS
  value: {{ .shards | quote }}
{{- end }}
- name: JOBWARDEN_MIGRATE
  value: {{ ternary "off" "on" (eq $values.migration.mode "hook") | quote }}
- name: JOBWARDEN_HTTP_HOST
  value: 0.0.0.0
- name: JOBWARDEN_HTTP_PORT
  value: "7411"
- name: JOBWARDEN_CONFIG
  value: /etc/jobwarden/policy.yaml
- name: JOBWARDEN_ROLES
  value: {{ .roles }}
- name: JOBWARDEN_ACTIONS
  value: {{ $values.actions | quote }}
- name: JOBWARDEN_DASHBOARD
  value: {{ $values.dashboard | quote }}
- name: JOBWARDEN_LOG_LEVEL
  value: {{ $values.logLevel }}
{{- with $values.tracing.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- if $values.kafka.brokers }}
{{ include "jobwarden.kafkaEnv" $values.kafka }}
{{- end }}
{{- with $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "jobwarden.kafkaEnv" -}}
- name: JOBWARDEN_KAFKA_BROKERS
  value: {{ join "," .brokers | quote }}
{{- with .topicPrefix }}
- name: JOBWARDEN_TOPIC_PREFIX
  value: {{ . | quote }}
{{- end }}
{{- with .partitions }}
- name: JOBWARDEN_KAFKA_PARTITIONS
  value: {{ . | quote }}
{{- end }}
{{- with .replication }}
- name: JOBWARDEN_KAFKA_REPLICATION
  value: {{ . | quote }}
{{- end }}
{{- with .sessionTimeout }}
- name: JOBWARDEN_KAFKA_SESSION_TIMEOUT
  value: {{ . | quote }}
{{- end }}
{{- with .ssl }}
{{- if .enabled }}
- name: JOBWARDEN_KAFKA_SSL
  value: "on"
{{- $secret := .existingSecret }}
{{- range $name, $key := dict "JOBWARDEN_KAFKA_SSL_CA" .caKey "JOBWARDEN_KAFKA_SSL_CERT" .certKey "JOBWARDEN_KAFKA_SSL_KEY" .keyKey }}
{{- if and $secret $key }}
{{ include "jobwarden.secretEnv" (dict "name" $name "secret" $secret "key" $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- with .sasl }}
{{- if .mechanism }}
- name: JOBWARDEN_KAFKA_SASL_MECHANISM
  value: {{ .mechanism }}
{{ include "jobwarden.secretEnv" (dict "name" "JOBWARDEN_KAFKA_SASL_USERNAME" "secret" .existingSecret "key" .usernameKey) }}
{{ include "jobwarden.secretEnv" (dict "name" "JOBWARDEN_KAFKA_SASL_PASSWORD" "secret" .existingSecret "key" .passwordKey) }}
{{- end }}
{{- end }}
{{- end -}}
