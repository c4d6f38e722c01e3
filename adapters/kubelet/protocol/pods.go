package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Pod is a pod of any Kubernetes version as JSON: what is nil or zero is left out, an
// empty list or mapping stays, kind and apiVersion are as the kubelet has them.
func Pod(pod any) any {
	value, _ := plain(reflect.ValueOf(pod))
	return value
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// plain returns a value as JSON has it, and whether it says anything.
func plain(v reflect.Value) (any, bool) {
	switch {
	case !v.IsValid():
		return nil, false
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		if v.IsNil() {
			return nil, false
		}
		value, _ := plain(v.Elem())
		if value == nil {
			value = map[string]any{}
		}
		return value, true
	case v.Type().Implements(marshaler) || reflect.PointerTo(v.Type()).Implements(marshaler):
		return marshaled(v)
	}
	switch v.Kind() {
	case reflect.Struct:
		return plainStruct(v)
	case reflect.Map:
		return plainMap(v)
	case reflect.Slice:
		return plainList(v)
	}
	return v.Interface(), !v.IsZero()
}

func marshaled(v reflect.Value) (any, bool) {
	boxed := reflect.New(v.Type())
	boxed.Elem().Set(v)
	text, err := json.Marshal(boxed.Interface())
	if err != nil {
		return nil, false
	}
	return json.RawMessage(text), !v.IsZero()
}

func plainStruct(v reflect.Value) (any, bool) {
	fields := map[string]any{}
	addFields(fields, v)
	return fields, len(fields) > 0
}

func addFields(fields map[string]any, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || name == "-":
		case name == "" && (field.Anonymous || options == "inline"):
			addFields(fields, v.Field(i))
		default:
			if value, says := plain(v.Field(i)); says {
				fields[name] = value
			}
		}
	}
}

func plainMap(v reflect.Value) (any, bool) {
	values := map[string]any{}
	for _, key := range v.MapKeys() {
		value, _ := plain(v.MapIndex(key))
		values[key.String()] = value
	}
	return values, !v.IsNil()
}

func plainList(v reflect.Value) (any, bool) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return v.Interface(), !v.IsNil()
	}
	values := []any{}
	for i := range v.Len() {
		value, _ := plain(v.Index(i))
		values = append(values, value)
	}
	return values, !v.IsNil()
}
