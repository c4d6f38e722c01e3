package protocol

import (
	"encoding/json"
	"testing"
	"time"
)

type Meta struct {
	Kind   string            `json:"kind,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

type stamp struct{ time.Time }

type sample struct {
	Meta    `json:",inline"`
	Name    string             `json:"name,omitempty"`
	Count   *int               `json:"count,omitempty"`
	On      *bool              `json:"on"`
	Off     bool               `json:"off"`
	Args    []string           `json:"args"`
	Data    []byte             `json:"data,omitempty"`
	Limits  map[string]float64 `json:"limits,omitempty"`
	Context *struct{}          `json:"context,omitempty"`
	Inner   struct{ X int }    `json:"inner"`
	Created stamp              `json:"created"`
	hidden  int
}

func TestPodLeavesOutWhatIsNilOrZero(t *testing.T) {
	if text := encode(Pod(&sample{hidden: 1})); string(text) != "{}" {
		t.Errorf("an empty one is %s", text)
	}
}

func TestPodKeepsWhatIsEmptyOrPointedTo(t *testing.T) {
	zero, no := 0, false
	full := &sample{
		Meta:    Meta{Kind: "Pod", Labels: map[string]string{}},
		Count:   &zero,
		On:      &no,
		Args:    []string{},
		Data:    []byte("hi"),
		Limits:  map[string]float64{"cpu": 0.5},
		Context: &struct{}{},
		Created: stamp{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
	}

	var got map[string]any
	json.Unmarshal(encode(Pod(full)), &got)

	want := `{"args":[],"context":{},"count":0,"created":"2024-01-01T00:00:00Z","data":"aGk=","kind":"Pod","labels":{},"limits":{"cpu":0.5},"on":false}`
	if text := encode(got); string(text) != want {
		t.Errorf("a full one is %s", text)
	}
}
