package protocol

import (
	"encoding/json"
)

// works are the requests that are carried out in the bubble.
var works = map[string]func(*World, Kubelet, json.RawMessage) (any, error){
	"component/new":  makeObject,
	"component/call": callMethod,
	"component/send": sendSet,
	"settle": func(w *World, _ Kubelet, _ json.RawMessage) (any, error) {
		return w.now(), nil
	},
	"clock/advance": advance,
}

type call struct {
	Component string          `json:"component"`
	Method    string          `json:"method"`
	Arguments json.RawMessage `json:"arguments"`
}

func makeObject(w *World, kubelet Kubelet, params json.RawMessage) (any, error) {
	asked, err := Decode[struct {
		Component string `json:"component"`
		Config    Config `json:"config"`
	}](params)
	if err != nil {
		return nil, err
	}
	return nil, w.make(kubelet, asked.Component, asked.Config)
}

func callMethod(w *World, kubelet Kubelet, params json.RawMessage) (any, error) {
	asked, err := Decode[call](params)
	if err != nil {
		return nil, err
	}
	if w.objects[asked.Component] == nil && functions[asked.Component] {
		if err := w.make(kubelet, asked.Component, Config{}); err != nil {
			return nil, err
		}
	}
	method, err := w.method(kubelet, asked.Component, asked.Method)
	if err != nil {
		return nil, err
	}
	value, err := method(asked.Arguments)
	return map[string]any{"value": value}, err
}

func sendSet(w *World, kubelet Kubelet, params json.RawMessage) (any, error) {
	send, err := w.method(kubelet, "podconfig", "send")
	if err != nil {
		return nil, err
	}
	return send(params)
}

func advance(w *World, _ Kubelet, params json.RawMessage) (any, error) {
	to, err := Decode[struct {
		ToNS *int64 `json:"to_ns"`
	}](params)
	if err != nil {
		return nil, err
	}
	if to.ToNS == nil || *to.ToNS < w.Now() {
		return nil, BadParams("clock/advance: to_ns must be now or later, not %s", params)
	}
	w.advance(*to.ToNS)
	return w.now(), nil
}

func (w *World) now() map[string]int64 { return map[string]int64{"now_ns": w.Now()} }

// alone are the components without a merge, so without a lock to wait for.
var alone = map[string]bool{"file": true, "http": true, "api": true}

func (w *World) make(kubelet Kubelet, component string, config Config) error {
	factory := kubelet.Components[component]
	if factory == nil {
		return Unknown("component %q is not offered", component)
	}
	w.path = config.Path
	object, err := factory(w, config)
	if err == nil {
		w.objects[component] = object
		w.alone = alone[component]
	}
	return err
}

func (w *World) method(kubelet Kubelet, component, name string) (Method, error) {
	if kubelet.Components[component] == nil {
		return nil, Unknown("component %q is not offered", component)
	}
	object := w.objects[component]
	if object == nil {
		return nil, BadParams("%s: nothing was made. Send component/new first", component)
	}
	if object[name] == nil {
		return nil, Unknown("%s has no method %q", component, name)
	}
	return object[name], nil
}

// notified carries out a notification of the suite.
func (w *World) notified(m message) error {
	switch m.Method {
	case "files/event", "http/reply", "api/list", "api/event":
		return w.hear(m.Params)
	case "reader/hold":
		w.hold(true)
	case "reader/release":
		w.hold(false)
	}
	return nil
}

// stops tells whether a call ends a source or the sync loop.
func stops(params json.RawMessage) bool {
	asked, err := Decode[call](params)
	return err == nil && asked.Method == "stop"
}
