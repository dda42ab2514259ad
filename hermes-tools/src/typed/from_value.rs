//! Rust values out of JSON values.
//!
//! `serde_json::from_value` does this as well, but with every digit of a number kept it gives some
//! numbers as a map of its own, which nothing behind `#[serde(flatten)]` or in an untagged enum can
//! read. Here a number is given as an integer or a float, and errors know where they happened.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Number, Value};

use super::arguments::{Misfit, unexpected};
use super::map_key::MapKey;
use super::words;
use crate::handler::Arguments;
use crate::text::clip;

/// The name under which `serde_json` asks for the text of a value.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// How many digits of a number are repeated.
const SHOWN_DIGITS: usize = 40;

/// A value that is given to whoever reads it.
pub(super) struct FromValue {
    value: Value,
    /// Whether it is the whole of the arguments: `()` may stand for an object.
    is_root: bool,
}

impl FromValue {
    pub(super) fn root(arguments: Arguments) -> FromValue {
        FromValue {
            value: Value::Object(arguments),
            is_root: true,
        }
    }

    fn inner(value: Value) -> FromValue {
        FromValue {
            value,
            is_root: false,
        }
    }
}

/// A number as the integer it is, or the float.
fn number<'de, V: Visitor<'de>>(number: Number, visitor: V) -> Result<V::Value, Misfit> {
    if let Some(unsigned) = number.as_u64() {
        return visitor.visit_u64(unsigned);
    }
    if let Some(signed) = number.as_i64() {
        return visitor.visit_i64(signed);
    }
    if number.as_str().contains(['.', 'e', 'E'])
        && let Some(float) = number.as_f64().filter(|float| float.is_finite())
    {
        return visitor.visit_f64(float);
    }
    // In its own way, which keeps the digits where they can be kept: in a `Value` or `Number`. The
    // error would speak of that way.
    let shown = clip(number.as_str(), SHOWN_DIGITS);
    let expected = words::expected_with_range(&visitor);
    number
        .deserialize_any(visitor)
        .map_err(|_: serde_json::Error| {
            de::Error::custom(format_args!(
                "the number {shown} does not fit: expected {expected}"
            ))
        })
}

macro_rules! whole_numbers {
    ($($method:ident $visit:ident $type:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
            match self.value {
                Value::Number(given) => match given.as_str().parse::<$type>() {
                    Ok(whole) => visitor.$visit(whole),
                    Err(_) if given.as_str().contains(['.', 'e', 'E']) => number(given, visitor),
                    Err(_) => Err(de::Error::custom(format_args!(
                        "the number {} does not fit: expected {}",
                        clip(given.as_str(), SHOWN_DIGITS),
                        words::integer_between(<$type>::MIN, <$type>::MAX),
                    ))),
                },
                value => FromValue::inner(value).deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for FromValue {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(truth) => visitor.visit_bool(truth),
            Value::Number(given) => number(given, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => {
                let count = items.len();
                let mut items = Items {
                    items: items.into_iter(),
                    next: 0,
                };
                let value = visitor.visit_seq(&mut items)?;
                if items.items.len() == 0 {
                    Ok(value)
                } else {
                    Err(de::Error::invalid_length(count, &"fewer items"))
                }
            }
            Value::Object(map) => visitor.visit_map(Members::of(map)),
        }
    }

    whole_numbers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Number(given) => match given.as_f64().filter(|float| float.is_finite()) {
                Some(float) => visitor.visit_f64(float),
                None => Err(de::Error::custom(format_args!(
                    "the number {} is too large",
                    clip(given.as_str(), SHOWN_DIGITS)
                ))),
            },
            value => FromValue::inner(value).deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            Value::Object(_) if self.is_root => visitor.visit_unit(),
            value => FromValue::inner(value).deserialize_any(visitor),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        if name == RAW_VALUE {
            return self
                .value
                .deserialize_newtype_struct(name, visitor)
                .map_err(de::Error::custom);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.value {
            Value::String(variant) => visitor.visit_enum(Variant {
                variant,
                content: None,
            }),
            Value::Object(map) if map.len() == 1 => match map.into_iter().next() {
                Some((variant, content)) => visitor.visit_enum(Variant {
                    variant,
                    content: Some(content),
                }),
                None => Err(de::Error::custom("a variant has no name")),
            },
            other => Err(de::Error::invalid_type(
                unexpected(&other),
                &"the name of a variant, or an object with that name as its only key",
            )),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool char str string bytes byte_buf seq tuple tuple_struct map struct identifier
    }
}

struct Items {
    items: std::vec::IntoIter<Value>,
    next: usize,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let Some(value) = self.items.next() else {
            return Ok(None);
        };
        let index = self.next;
        self.next += 1;
        seed.deserialize(FromValue::inner(value))
            .map(Some)
            .map_err(|misfit| misfit.in_item(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Members {
    members: serde_json::map::IntoIter,
    /// What belongs to the key that was given last.
    value: Option<(String, Value)>,
}

impl Members {
    fn of(map: Map<String, Value>) -> Members {
        Members {
            members: map.into_iter(),
            value: None,
        }
    }
}

impl<'de> MapAccess<'de> for Members {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        let Some((name, value)) = self.members.next() else {
            return Ok(None);
        };
        let key = seed.deserialize(MapKey(&name))?;
        self.value = Some((name, value));
        Ok(Some(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Misfit> {
        let Some((name, value)) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        seed.deserialize(FromValue::inner(value))
            .map_err(|misfit| misfit.in_field(&name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

struct Variant {
    variant: String,
    content: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Misfit;
    type Variant = Content;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Content), Misfit> {
        let name: StrDeserializer<'_, Misfit> = self.variant.as_str().into_deserializer();
        let variant = seed.deserialize(name)?;
        Ok((variant, Content(self.content)))
    }
}

/// What a variant holds.
struct Content(Option<Value>);

impl Content {
    fn value(self) -> Result<FromValue, Misfit> {
        self.0
            .map(FromValue::inner)
            .ok_or_else(|| de::Error::custom("the variant needs a value"))
    }
}

impl<'de> VariantAccess<'de> for Content {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        match self.0 {
            None | Some(Value::Null) => Ok(()),
            Some(other) => Err(de::Error::invalid_type(unexpected(&other), &"no value")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Misfit> {
        seed.deserialize(self.value()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Misfit> {
        self.value()?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.value()?.deserialize_any(visitor)
    }
}
